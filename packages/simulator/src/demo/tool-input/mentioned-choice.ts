// The value of an enumeration that the message names: literally, otherwise in another form ("a device" for `devices`).
import { stemOf, wordsIn } from '../../replies/words.ts'

/** Of several the longest: "device types" are not devices. */
export function mentionedChoice(values: readonly unknown[], prompt: string): string | undefined {
  const texts = values.filter((value): value is string => typeof value === 'string' && value !== '')
  return (
    longest(texts.filter((value) => mentions(prompt, value))) ??
    longest(texts.filter((value) => isMeant(prompt, value)))
  )
}

function mentions(text: string, value: string): boolean {
  const plain = value.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/[_-]/g, '[ _-]')
  return new RegExp(`(?<![\\p{L}\\p{N}])${plain}(?![\\p{L}\\p{N}])`, 'iu').test(text)
}

function isMeant(text: string, value: string): boolean {
  const stems = ` ${wordsIn(text).map(stemOf).join(' ')} `
  const wanted = wordsIn(value).map(stemOf).join(' ')
  return wanted !== '' && stems.includes(` ${wanted} `)
}

const longest = (texts: readonly string[]): string | undefined =>
  texts.toSorted((one, other) => other.length - one.length)[0]
