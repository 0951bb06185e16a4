// Runs before the first paint, as a file of its own because the content security policy forbids inline scripts.
const chosen = localStorage.getItem('quarterdeck.theme')
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen

// The same policy forbids compiling strings, so zod must not even try.
globalThis.__zod_globalConfig = { jitless: true }
