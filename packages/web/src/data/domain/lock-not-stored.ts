/** Columns that are never sent from this page, but could not be written down: other tabs and a reload do not know it. */
export class LockNotStored extends Error {
  constructor(cause: Error) {
    super(`Locked on this page only, until it is left. ${cause.message}`, { cause })
    this.name = 'LockNotStored'
  }
}
