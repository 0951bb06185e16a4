/** Hands a file made on this page to the browser. */
export function downloadFile(name: string, parts: readonly BlobPart[], type: string): void {
  const address = URL.createObjectURL(new Blob([...parts], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has taken it by the next task; without this the page would keep every file it ever made.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
