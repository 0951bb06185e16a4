/** Loads something ahead when the page is idle, unless the user asked the browser to save data. */
export function whenIdle(load: () => void): void {
  if (savesData()) return
  // Safari has no `requestIdleCallback`, so a delay replaces it.
  if (typeof requestIdleCallback === 'undefined') setTimeout(load, 500)
  else requestIdleCallback(load, { timeout: 5000 })
}

interface Connection {
  readonly saveData?: boolean
}

/** Only Chromium has this property, and the DOM types lack it. */
const savesData = (): boolean => (navigator as { readonly connection?: Connection }).connection?.saveData === true
