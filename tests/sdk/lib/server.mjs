// A server process of its own for each test file: free ports, a temporary data directory, nothing shared.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AzureNamedKeyCredential, TableClient, TableServiceClient } from '@azure/data-tables';

const binary = process.env.DOWNTICK_BINARY ?? fileURLToPath(new URL('../../../build/downtick', import.meta.url));
const startSecondsMax = 60;
const startAttemptsMax = 40;
const startRetryMilliseconds = 250;

export const development = {
  name: 'devstoreaccount1',
  key: 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
};

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

// Every listener but those under test, whatever this build has.
function otherPortsOff(used) {
  const help = execFileSync(binary, ['serve', '--help'], { encoding: 'utf8' });
  const options = [...new Set(help.match(/--[a-z]+-port/g))].filter((option) => !used.includes(option));
  return options.flatMap((option) => [option, '0']);
}

export class Server {
  #child;
  #said = '';

  constructor({ ports, accounts, options, tls }) {
    this.ports = ports;
    this.port = ports.table;
    this.accounts = accounts;
    this.options = options;
    this.tls = tls;
    this.data = mkdtempSync(join(tmpdir(), 'downtick-sdk-'));
  }

  // `accounts`: more than the development account, as {name, key, key2}. `listeners`: more than the Table service, as in --NAME-port.
  // `options`: more of `downtick serve`. `tls`: a certificate and where it is, as lib/certificate.mjs makes them.
  static async start({ accounts = [], listeners = [], options = [], tls } = {}) {
    const ports = {};
    for (const name of ['table', ...listeners]) ports[name] = await freePort();
    const server = new Server({ ports, accounts: [development, ...accounts], options, tls });
    await server.#run();
    return server;
  }

  get host() {
    return `127.0.0.1:${this.port}`;
  }

  get protocol() {
    return this.tls ? 'https' : 'http';
  }

  url(account = development) {
    return `${this.protocol}://${this.host}/${account.name}`;
  }

  connectionString(account = development) {
    return `DefaultEndpointsProtocol=${this.protocol};AccountName=${account.name};AccountKey=${account.key};TableEndpoint=${this.url(account)};`;
  }

  table(name, account = development) {
    return new TableClient(this.url(account), name, new AzureNamedKeyCredential(account.name, account.key), this.#clientOptions);
  }

  service(account = development) {
    return new TableServiceClient(this.url(account), new AzureNamedKeyCredential(account.name, account.key), this.#clientOptions);
  }

  get #clientOptions() {
    return this.tls ? { tlsOptions: { ca: this.tls.certificate } } : { allowInsecureConnection: true };
  }

  // A new table and its client.
  async newTable(name) {
    const client = this.table(name);
    await client.createTable();
    return client;
  }

  // Ends the process and starts it again on the same data and the same port.
  async restart(signal = 'SIGTERM') {
    await this.#end(signal);
    await this.#run();
  }

  async stop() {
    await this.#end('SIGTERM');
    rmSync(this.data, { recursive: true, force: true });
  }

  async #run() {
    for (let attempts = 1; ; ++attempts) {
      try {
        return await this.#launch();
      } catch (error) {
        // The kernel takes its time to give back the I/O slots of a process that was killed, and other processes need some too.
        if (!error.message.includes('aio-max-nr') || attempts === startAttemptsMax) throw error;
        await delay(startRetryMilliseconds);
      }
    }
  }

  async #launch() {
    const accounts = this.accounts.flatMap((a) => ['--account', [a.name, a.key, a.key2].filter(Boolean).join(':')]);
    const args = ['serve', '--data', this.data, '--smp', '2', '--memory', '512M', '--own-metrics-seconds', '0'];
    const ports = Object.entries(this.ports).flatMap(([name, port]) => [`--${name}-port`, String(port)]);
    const tls = this.tls ? ['--tls-cert', this.tls.certificateFile, '--tls-key', this.tls.keyFile] : [];
    this.#child = spawn(binary, [...args, ...ports, ...otherPortsOff(ports), ...accounts, ...tls, ...this.options], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#said = '';
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (this.#said += text));
    }
    const isReady = new Promise((resolve) => this.#child.stdout.on('data', () => this.#said.includes(' is ready') && resolve()));
    const hasEnded = new Promise((_, reject) => this.#child.once('close', (code) => reject(new Error(`the server ended (${code}): ${this.#said}`))));
    hasEnded.catch(() => {});
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), startSecondsMax * 1000);
    await Promise.race([isReady, hasEnded]).finally(() => clearTimeout(timer));
  }

  async #end(signal) {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) {
      throw new Error(`the server had ended by itself (${this.#child.exitCode ?? this.#child.signalCode}): ${this.#said}`);
    }
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill(signal);
    await ended;
  }
}
