// What a failure must look like, through the client and on the wire.

import assert from 'node:assert/strict';

// For assert.rejects: an error of the client library.
export function failure(status, code) {
  return (error) => {
    assert.equal(error.statusCode, status, error.message);
    const told = error.details?.odataError?.code ?? error.details?.errorCode ?? error.code;
    assert.equal(told, code);
    return true;
  };
}

export function assertRefused(reply, status, code, hint = '') {
  assert.equal(reply.status, status, `${hint}: ${reply.text.slice(0, 500)}`);
  assert.equal(reply.code, code, hint);
}
