/** Loads ahead of the person, when the page has nothing else to do; never for somebody who asked to save data. */
export function whenIdle(load: () => void): void {
  if (savesData()) return
  // Safari has none: a moment after what was asked for is as good.
  if (typeof requestIdleCallback === 'undefined') setTimeout(load, 500)
  else requestIdleCallback(load, { timeout: 5000 })
}

interface Connection {
  readonly saveData?: boolean
}

/** Only Chromium says so, and the library of types knows nothing of it. */
const savesData = (): boolean => (navigator as { readonly connection?: Connection }).connection?.saveData === true
