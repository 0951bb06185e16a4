// An estimate before the provider has counted: about four characters per token, and a fixed number per image.
import { estimateTokens } from '@quarterdeck/protocol'
import type { HostTool } from '../../../ports/host-toolbox.ts'
import type { Entry } from './entry.ts'

const tokensPerImage = 1600

interface Estimated {
  readonly system: string
  readonly tools: readonly HostTool[]
  readonly entries: readonly Entry[]
}

export function estimateRequestTokens({ system, tools, entries }: Estimated): number {
  const offered = tools.reduce((sum, tool) => sum + charactersIn(tool), 0)
  const conversationTokens = entries.reduce((sum, entry) => sum + entryTokens(entry), 0)
  return estimateTokens(system.length + offered) + conversationTokens
}

export function entryTokens(entry: Entry): number {
  const known = counted.get(entry)
  if (known !== undefined) return known
  const tokens = count(entry)
  counted.set(entry, tokens)
  return tokens
}

/** A conversation is counted before each request, and its entries never change, so counts are cached. */
const counted = new WeakMap<Entry, number>()

function count(entry: Entry): number {
  switch (entry.type) {
    case 'prompt':
      return tokensIn(entry.text) + entry.images.length * tokensPerImage
    case 'results':
      return entry.results.reduce(
        (sum, { output, images }) => sum + tokensIn(output) + images.length * tokensPerImage,
        0,
      )
    case 'answer':
      return tokensIn(JSON.stringify(entry.parts))
    default:
      return tokensIn(entry.text)
  }
}

const tokensIn = (text: string): number => estimateTokens(text.length)

const charactersIn = ({ name, description, inputSchema }: HostTool): number =>
  name.length + description.length + JSON.stringify(inputSchema).length
