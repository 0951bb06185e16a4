import { deniesWords } from './commands/command-text.ts'
import type { EffectiveCommand } from './commands/effective-commands.ts'

/** An entry of `excluded_commands`: a command (`rm`), or a command with its first arguments (`git push`). */
export function couldMatchExclusion(entry: string, command: EffectiveCommand): boolean {
  if (command.name === null) return false // refused as a whole elsewhere
  if (deniesWords(`${entry} *`, command.words)) return true
  const [name, ...wanted] = entry.trim().toLowerCase().split(/\s+/)
  if (name === undefined || command.name !== name.slice(name.lastIndexOf('/') + 1)) return false
  // `git -C elsewhere push` is a `git push`: the arguments need only come in this order.
  let at = 0
  for (const word of command.words.slice(1)) {
    if (at < wanted.length && (!word.isLiteral || word.text.toLowerCase() === wanted[at])) at += 1
  }
  return at === wanted.length
}
