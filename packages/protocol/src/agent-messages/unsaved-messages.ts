// An agent's process that died may not have saved the latest messages. The prompt of the next turn repeats them. The
// engine writes these lines, and the simulator parses them.
import { parseJson } from '../values/parse-json.ts'

const intro = 'Your process ended while you were answering. This conversation may not contain these earlier messages:'
const marker = 'Earlier message: '
const end = 'They are context for the new message:'

export const formatUnsavedMessages = (unsaved: readonly string[], message: string): string =>
  unsaved.length === 0
    ? message
    : [intro, ...unsaved.map((text) => `${marker}${JSON.stringify(text)}`), end, message].join('\n')

/** The messages of a prompt, oldest first; the last one is new. */
export function parseUnsavedMessages(prompt: string): string[] {
  const [first, ...lines] = prompt.split('\n')
  const endsAt = lines.indexOf(end)
  if (first !== intro || endsAt === -1) return [prompt]
  const unsaved = lines.slice(0, endsAt).map((line) => parseJson(line.slice(marker.length)))
  return [...unsaved.filter((text) => typeof text === 'string'), lines.slice(endsAt + 1).join('\n')]
}
