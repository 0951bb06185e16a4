// Where `tar` writes: the archive it creates, or the folder it unpacks into.

import type { Word } from '../parser/shell-syntax.ts'
import { notWritten, optionValues } from './option-values.ts'

const folders = { short: 'C', long: ['directory', 'one-top-level'] }
const archive = { short: 'f', long: ['file'] }
const makesOne = /^(?:-[a-zA-Z]*[cruA]|--(?:create|append|update|concat|catenate|delete))/
const leavesTheFolder = /^(?:-[a-zA-Z]*P|--absolute-n)/

export function archiveTargets(given: readonly Word[]): readonly Word[] {
  const args = modern(given)
  const made = args.some((word) => makesOne.test(word.text)) ? optionValues(args, archive) : []
  return [
    ...optionValues(args, folders),
    ...made,
    ...args.filter((word) => leavesTheFolder.test(word.text)).map(notWritten),
  ]
}

/** `tar xfC a b` is `tar -x -f a -C b`: without a dash, the letters take their values in order. */
function modern(args: readonly Word[]): readonly Word[] {
  const [first, ...rest] = args
  if (first === undefined || !first.isLiteral || !/^[a-zA-Z]+$/.test(first.text)) return args
  let taken = 0
  const options = [...first.text].flatMap((letter) => {
    const option = { ...first, text: `-${letter}`, source: `-${letter}` }
    const value = 'bCfFgHIKLNTVX'.includes(letter) ? rest[taken] : undefined
    if (value === undefined) return [option]
    taken += 1
    return [option, value]
  })
  return [...options, ...rest.slice(taken)]
}
