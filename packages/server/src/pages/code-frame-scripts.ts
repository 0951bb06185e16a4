// The two fixed scripts of the code frame: one for the frame, one for each worker in it. They are text because they are
// sent unchanged and identified by their hash; no part of a request becomes part of them.

/**
 * Takes one port from the page that holds the frame, and gives each call on it its own worker. A worker is terminated
 * after its first message, before the answer is passed on; later messages are dropped.
 */
export const frameScript = (): string => `'use strict';
(() => {
  const source = ${JSON.stringify(workerScript).replaceAll('<', '\\u003c')};
  const take = (event) => {
    if (parent === self || event.source !== parent || event.origin !== location.origin) return;
    const port = event.ports[0];
    if (port === undefined) return;
    removeEventListener('message', take);
    port.onmessage = ({ data }) => start(port, data);
    port.postMessage({ type: 'ready' });
  };
  const start = (port, { id, call }) => {
    const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    const worker = new Worker(url);
    const end = (answer) => {
      worker.onmessage = worker.onerror = worker.onmessageerror = null;
      worker.terminate();
      URL.revokeObjectURL(url);
      port.postMessage({ type: 'answer', id, answer });
    };
    const broken = { problem: 'threw', message: 'the code ended before it gave an answer', line: null };
    worker.onmessage = ({ data }) => end(typeof data === 'string' ? data : broken);
    worker.onerror = (event) => { event.preventDefault(); end(broken); };
    worker.onmessageerror = () => end(broken);
    worker.postMessage(call);
  };
  addEventListener('message', take);
})();`

/**
 * Runs one piece of code and answers once, with text. Its checks give clear messages only: the page repeats every
 * check, because the code could have changed this realm.
 */
const workerScript = `'use strict';
(() => {
  const send = self.postMessage.bind(self);
  const stringify = JSON.stringify;
  const AsyncFunction = (async () => {}).constructor;
  class Refused extends Error {
    constructor(problem, message) { super(message); this.problem = problem; }
  }

  self.onmessage = async ({ data: call }) => {
    self.onmessage = null;
    quieten();
    let answer;
    try {
      answer = encode(await run(call), call.limits);
    } catch (error) {
      answer = stringify(failure(error));
    }
    send(answer);
  };

  // Unread messages would only fill the queue of the frame.
  const quieten = () => {
    for (let owner = self; owner !== null; owner = Object.getPrototypeOf(owner)) {
      for (const name of ['postMessage', 'close', 'reportError']) delete owner[name];
    }
    const nothing = () => {};
    self.console = Object.fromEntries(Object.keys(console).map((name) => [name, nothing]));
    self.addEventListener('error', (event) => event.preventDefault());
    self.addEventListener('unhandledrejection', (event) => event.preventDefault());
  };

  const run = async ({ code, data, allSteps }) => {
    const known = new Map();
    const objects = (rows) => {
      if (!known.has(rows)) known.set(rows, asObjects(rows));
      return known.get(rows);
    };
    const steps = {};
    for (const [n, rows] of allSteps) {
      Object.defineProperty(steps, n, { get: () => objects(rows), enumerable: true, configurable: true });
    }
    const made = compile(code);
    const returned = await made(objects(data), steps);
    return typeof returned === 'function' ? returned(objects(data), steps) : returned;
  };

  const asObjects = ({ columns, rows }) =>
    rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]])));

  const compiled = (body) => new AsyncFunction('data', 'allSteps', body + '\\n//# sourceURL=transform.js');
  const compile = (code) => {
    try {
      // On the same line, so that line numbers agree in both forms; a comment at its end ends with the line.
      return compiled('return (' + code.replace(/[\\s;]+$/, '') + '\\n)');
    } catch {
      return compiled(code);
    }
  };

  const lineIn = (error) => {
    const found = /transform\\.js:(\\d+)/.exec(String(error?.stack ?? ''));
    return found === null ? null : Number(found[1]);
  };
  // Engines add lines before the body; their number is measured.
  const before = (() => {
    try {
      new Function('data', 'allSteps', 'null.x\\n//# sourceURL=transform.js')();
    } catch (error) {
      return lineIn(error) === null ? null : lineIn(error) - 1;
    }
  })();

  const failure = (error) => {
    if (error instanceof Refused) return { problem: error.problem, message: error.message, line: null };
    const at = lineIn(error);
    const line = at === null || before === null ? null : at - before;
    const isError = error instanceof Error;
    const message = isError ? error.name + ': ' + error.message : 'thrown: ' + String(error);
    return { problem: 'threw', message: message.slice(0, 2000), line };
  };

  const refuse = (problem, message) => { throw new Refused(problem, message); };

  const encode = (returned, { rowsOut, bytesOut }) => {
    if (returned === undefined) refuse('invalid', 'the code returned nothing: end it with return and a list of objects');
    if (!Array.isArray(returned)) refuse('invalid', 'the code returned ' + kind(returned) + ', not a list of objects');
    if (returned.length > rowsOut) {
      refuse('too-large', 'the code returned ' + returned.length + ' rows; at most ' + rowsOut + ' are taken');
    }
    const columns = new Map();
    for (let row = 0; row < returned.length; row += 1) {
      const record = returned[row];
      if (typeof record !== 'object' || record === null || Array.isArray(record) || record instanceof Date) {
        refuse('invalid', 'row ' + row + ' is ' + kind(record) + ', not an object');
      }
      for (const name of Object.keys(record)) if (!columns.has(name)) columns.set(name, columns.size);
    }
    const names = [...columns.keys()];
    let bytes = 0;
    const rows = [];
    for (let row = 0; row < returned.length; row += 1) {
      const text = stringify(names.map((name) => cell(returned[row], name, row)));
      bytes += text.length;
      if (bytes > bytesOut) refuse('too-large', 'the rows are larger than ' + bytesOut + ' bytes');
      rows.push(text);
    }
    return '{"names":' + stringify(names) + ',"rows":[' + rows.join(',') + ']}';
  };

  const cell = (record, name, row) => {
    const value = Object.hasOwn(record, name) ? record[name] : null;
    if (value === null || value === undefined) return null;
    if (typeof value === 'boolean' || typeof value === 'string' || typeof value === 'number') return value;
    if (typeof value === 'bigint') return { bigint: String(value) };
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
    return refuse('invalid', 'row ' + row + ', column ' + stringify(name) + ' is ' + kind(value)
      + ': a cell is a number, text, true, false, a date or null');
  };

  const kind = (value) =>
    value === null ? 'null'
    : Array.isArray(value) ? 'a list'
    : typeof value === 'object' ? 'an object' + (value.constructor?.name ? ' (' + value.constructor.name + ')' : '')
    : typeof value === 'undefined' ? 'nothing'
    : 'a ' + typeof value;
})();`
