// A text that arrives in pieces, with its secrets taken out. A secret can come in any number of pieces, and what hides it
// can reach back: the end of the text is looked at again with each piece. What lies so far back that nothing to come can
// be one with it is settled, and not looked at any more.
import { plainView, type UnescapedView, unescapedView } from './unescaped-view.ts'

export interface GrowingText {
  /** True when the piece came out as it went in, behind what was there; false when the text is another one now. */
  add(piece: string): boolean
  /** All of it, redacted as a whole. */
  text(): string
}

export interface GrowingTextOptions {
  readonly redact: (text: string) => string
  /** The declared secrets, as a thing that is another one when they are, and how long the longest spelling of one is. */
  readonly secrets: () => { readonly known: unknown; readonly longest: number }
}

/** More than any shape has between blanks: `authorization : Bearer x` has four words. Only a private key has more. */
const wordsBehind = 8
const charsBehind = 64
/** One look for a place to settle at serves so many characters. */
const settleEvery = 256
/** A character spelt as an escape of the characters of an escape. */
const longestEscape = 36
/** A private key begins here, or may: the text ends in the words of its first line, or in half an escape. */
const keyBegins = /-----BEGIN [A-Z0-9 ]*(?:PRIVATE|\\|$)/

export function createGrowingText({ redact, secrets }: GrowingTextOptions): GrowingText {
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
    // Otherwise something lies across the place.
    if (before + after !== endShown) return
    settled += end.slice(0, boundary)
    settledShown += before
    end = end.slice(boundary)
    endShown = after
    settleAt = Math.max(far + settleEvery, end.length + settleEvery / 2)
  }

  return {
    add(piece) {
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
    text: () => settledShown + endShown,
  }
}

const isBlank = (code: number): boolean => code === 32 || code === 10 || code === 9 || code === 13

/** The start of a word at or before `from` that has enough words behind it; 0 when there is none. */
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
