// Redacts a text that arrives in pieces. A secret can span any number of pieces, so the end of the text is checked
// again with each piece. Text so far back that no later piece can complete a secret in it is settled and not checked
// again.
import { plainView, type UnescapedView, unescapedView } from './unescaped-view.ts'

export type GrowingText = ReturnType<typeof createGrowingText>

export interface GrowingTextOptions {
  readonly redact: (text: string) => string
  /** The declared secrets, as an object whose identity changes with them, and the length of the longest spelling. */
  readonly secrets: () => { readonly known: unknown; readonly longest: number }
}

/** More words than any shape contains: `authorization : Bearer x` has four. Only a private key has more. */
const wordsBehind = 8
const charsBehind = 64
/** Characters between two searches for a settle position. */
const settleEvery = 256
/** One character as a double escape. */
const longestEscape = 36
/** A private key starts here, or may: the text ends within its first line or within an escape. */
const keyBegins = /-----BEGIN [A-Z0-9 ]*(?:PRIVATE|\\|$)/

export function createGrowingText({ redact, secrets }: GrowingTextOptions) {
  let { known } = secrets()
  let settled = ''
  let settledShown = ''
  let end = ''
  let endShown = ''
  let settleAt = charsBehind + settleEvery

  function settle(longest: number): void {
    settleAt = end.length + settleEvery
    const far = Math.max(charsBehind, end.includes('\\') ? longest * longestEscape : longest)
    const boundary = wordStart(end, end.length - far)
    if (boundary <= 0 || mayHoldKey(end)) return
    const before = redact(end.slice(0, boundary))
    const after = redact(end.slice(boundary))
    // Otherwise a secret spans the position.
    if (before + after !== endShown) return
    settled += end.slice(0, boundary)
    settledShown += before
    end = end.slice(boundary)
    endShown = after
    settleAt = Math.max(far + settleEvery, end.length + settleEvery / 2)
  }

  return {
    /** True if the output only grew by this piece; false if earlier output changed. */
    add(piece: string): boolean {
      const now = secrets()
      if (now.known !== known) {
        known = now.known
        endShown = settledShown + endShown
        end = settled + end
        settled = ''
        settledShown = ''
      }
      end += piece
      const shown = redact(end)
      const isAdded = shown === endShown + piece
      endShown = shown
      if (end.length >= settleAt) settle(now.longest)
      return isAdded
    },
    /** The whole redacted text. */
    text: (): string => settledShown + endShown,
  }
}

const isBlank = (code: number): boolean => code === 32 || code === 10 || code === 9 || code === 13

/** The start of a word at or before `from` with enough words after it; 0 if there is none. */
function wordStart(text: string, from: number): number {
  let words = 0
  for (let at = text.length - 1; at > 0; at -= 1) {
    if (!isBlank(text.charCodeAt(at - 1)) || isBlank(text.charCodeAt(at))) continue
    words += 1
    if (words >= wordsBehind && at <= from) return at
  }
  return 0
}

function mayHoldKey(text: string): boolean {
  if (!text.includes('\\')) return keyBegins.test(text)
  let view: UnescapedView | null = plainView(text)
  for (let level = 0; view !== null && level < 3; level += 1) {
    if (keyBegins.test(view.text)) return true
    view = unescapedView(view)
  }
  return false
}
