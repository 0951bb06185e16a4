/** SHA-256, hex; `null` where the page is not on a safe address and the browser gives none. */
export async function fingerprintOf(bytes: Uint8Array): Promise<string | null> {
  // The browser has it on https and localhost only.
  const { subtle } = globalThis.crypto as { readonly subtle?: SubtleCrypto }
  if (subtle === undefined) return null
  const digest = await subtle.digest('SHA-256', new Uint8Array(bytes))
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
