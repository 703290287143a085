// Requests byte by byte, for what the client library never sends.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { connect } from 'node:net';
import { development } from './server.mjs';

export const minimal = 'application/json;odata=minimalmetadata';

export function hmac(text, key = development.key) {
  return createHmac('sha256', Buffer.from(key, 'base64')).update(text, 'utf8').digest('base64');
}

// The Authorization header of `scheme` for a raw target (path and query as they go out).
export function authorization(scheme, { method, target, headers, account = development }) {
  const [path, query = ''] = target.split('?');
  const comp = new URLSearchParams(query).get('comp');
  const resource = `/${account.name}${path}${comp === null ? '' : `?comp=${comp}`}`;
  const date = headers['x-ms-date'] ?? headers.Date;
  const text =
    scheme === 'SharedKey'
      ? [method, headers['Content-MD5'] ?? '', headers['Content-Type'] ?? '', date, resource].join('\n')
      : [date, resource].join('\n');
  return `${scheme} ${account.name}:${hmac(text, account.key)}`;
}

export function send(server, method, target, headers = {}, body = undefined) {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port: server.port, method, path: target, headers, agent: false }, (incoming) => {
      const pieces = [];
      incoming.on('data', (piece) => pieces.push(piece));
      incoming.on('error', reject);
      incoming.on('end', () => resolve(new Reply(incoming, Buffer.concat(pieces))));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

// A signed request to the development account; `path` is what follows the account.
export function call(server, method, path, { body, scheme = 'SharedKeyLite', account = development, prefix, ...rest } = {}) {
  const target = `${prefix ?? `/${account.name}`}${path}`;
  const headers = { 'x-ms-date': new Date().toUTCString(), 'x-ms-version': '2019-02-02', Accept: minimal, ...rest.headers };
  if (body !== undefined) {
    headers['Content-Type'] ??= 'application/json';
    headers['Content-Length'] ??= Buffer.byteLength(body);
  }
  for (const name of Object.keys(headers)) {
    if (headers[name] === undefined) delete headers[name];
  }
  headers.Authorization ??= authorization(scheme, { method, target, headers, account });
  return send(server, method, target, headers, body);
}

class Reply {
  constructor(incoming, bytes) {
    this.status = incoming.statusCode;
    this.headers = incoming.headers;
    this.rawHeaders = incoming.rawHeaders;
    this.text = bytes.toString('utf8');
  }

  get json() {
    return JSON.parse(this.text);
  }

  // Of an error, in the form that its Content-Type says.
  get code() {
    const type = this.headers['content-type'];
    assert.match(type, this.text.startsWith('{') ? /^application\/json/ : /^application\/xml/);
    if (type.startsWith('application/json')) return this.json['odata.error'].code;
    return this.text.match(/<m:code>(\w+)<\/m:code>/)?.[1];
  }

  get message() {
    return this.json['odata.error'].message.value;
  }
}

// Whatever bytes, and all that comes back until the server closes or `until` is seen.
export function exchange(server, bytes, { until, secondsMax = 5 } = {}) {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1');
    let text = '';
    const timer = setTimeout(() => socket.destroy(new Error(`no answer, only: ${text}`)), secondsMax * 1000);
    socket.setEncoding('latin1');
    socket.on('error', reject);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(text);
    });
    socket.on('data', (piece) => {
      text += piece;
      if (until && text.includes(until)) socket.destroy();
    });
    socket.write(bytes);
  });
}
