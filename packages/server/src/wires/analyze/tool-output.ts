// The result of a tool, as the model reads it.
import { cutText, type ReturnClientCallBody, type ToolResultBody } from '@quarterdeck/protocol'

/** In characters. The Claude CLI refuses much longer results, and the loop shortens them. */
export const outputLimit = 80_000

export function toolOutput({ result, error }: Pick<ToolResultBody, 'result' | 'error'>): ReturnClientCallBody {
  if (typeof error === 'string') return { output: shorten(error || 'the tool failed without a message'), isError: true }
  return { output: shorten(asText(result)), isError: false }
}

const asText = (result: unknown): string => (typeof result === 'string' ? result : JSON.stringify(result ?? null))

function shorten(text: string): string {
  if (text.length <= outputLimit) return text
  const note = `only the first ${outputLimit} of ${text.length} characters are here: ask for less, for example with LIMIT`
  return `${cutText(text, outputLimit)}\n[cut: ${note}]`
}
