/** Downloads a file that this page created. */
export function downloadFile(name: string, parts: readonly BlobPart[], type: string): void {
  const address = URL.createObjectURL(new Blob([...parts], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The download has started by then. Without the revocation, the page would hold every created file in memory.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
