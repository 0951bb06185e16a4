// `tool_filtering`: of many tools the model is offered only those that match the message.
import type { ToolFiltering } from '@quarterdeck/protocol'
import type { HostTool } from '../../../ports/host-toolbox.ts'
import { questionTool } from '../../../ports/question-tool.ts'
import { hostToolName, searchToolName } from '../../../tool-names/host-tool-names.ts'
import { callsOf, type Entry } from '../conversation/entry.ts'
import { rankByTerms } from './rank-by-terms.ts'

/** Turns texts into vectors of equal length. Throws with a message that suggests a remedy. */
export type Embed = (texts: readonly string[], signal: AbortSignal) => Promise<readonly Vector[]>

type Vector = ArrayLike<number>

export interface ToolChooser {
  /** Selects tools for the latest message and keeps their order. */
  choose(tools: readonly HostTool[], entries: readonly Entry[], signal: AbortSignal): Promise<readonly HostTool[]>
}

export const everyTool: ToolChooser = { choose: async (tools) => tools }

export function createToolChooser(filtering: ToolFiltering, embed: Embed | null): ToolChooser {
  const rank = createRanking(filtering.method, embed)
  return {
    async choose(tools, entries, signal) {
      const message = entries.findLast((entry) => entry.type === 'prompt')
      if (message?.type !== 'prompt' || tools.length === 0) return tools
      const always = new Set([...mostUsed(entries, filtering.alwaysIncludeMostUsed), questionTool])
      const isAlways = ({ name }: HostTool) =>
        always.has(name) || filtering.alwaysInclude.some((own) => isNamed(name, own))
      const scores = await rank(message.text, tools.map(searchTextOf), signal)
      const best = tools
        .map((tool, index) => ({ tool, score: scores[index] ?? 0 }))
        .filter(({ tool, score }) => !isAlways(tool) && score > 0 && score >= filtering.minScore)
        .sort((one, other) => other.score - one.score)
        .slice(0, filtering.topK)
      const chosen = new Set(best.map(({ tool }) => tool))
      return tools.filter((tool) => chosen.has(tool) || isAlways(tool))
    },
  }
}

type Ranking = (query: string, texts: readonly string[], signal: AbortSignal) => Promise<readonly number[]>

function createRanking(method: ToolFiltering['method'], embed: Embed | null): Ranking {
  const byTerms: Ranking = async (query, texts) => normalised(rankByTerms(query, texts))
  if (method === 'bm25' || embed === null) return byTerms
  const vectorsOf = createVectorMemory(embed)
  const byMeaning: Ranking = async (query, texts, signal) => {
    const [asked = [], ...vectors] = await vectorsOf([query, ...texts], signal)
    return vectors.map((vector) => Math.max(0, cosine(asked, vector)))
  }
  if (method === 'semantic') return byMeaning
  return async (query, texts, signal) => {
    const lists = await Promise.all([byTerms(query, texts, signal), byMeaning(query, texts, signal)])
    return normalised(fused(lists, texts.length))
  }
}

/** Caches vectors: tools stay the same across messages, and a message across requests. */
const mostRemembered = 500

/** Embeds texts that are not in the cache, which keeps the most recently used ones. */
function createVectorMemory(embed: Embed): Embed {
  const known = new Map<string, Vector>()
  return async (texts, signal) => {
    const unknown = [...new Set(texts)].filter((text) => !known.has(text))
    const made = unknown.length === 0 ? [] : await embed(unknown, signal)
    if (made.length !== unknown.length) throw new Error(`got ${made.length} vectors for ${unknown.length} texts`)
    const fresh = new Map(unknown.map((text, index) => [text, made[index] ?? []]))
    const vectors = texts.map((text) => fresh.get(text) ?? known.get(text) ?? [])
    for (const [index, text] of texts.entries()) {
      known.delete(text)
      known.set(text, vectors[index] ?? [])
    }
    for (const text of known.keys()) {
      if (known.size <= Math.max(mostRemembered, texts.length)) break
      known.delete(text)
    }
    return vectors
  }
}

/** Reciprocal rank fusion: tools that rank high in both lists come first. */
function fused(lists: readonly (readonly number[])[], count: number): number[] {
  const sums = new Array<number>(count).fill(0)
  for (const scores of lists) {
    const order = scores.map((score, index) => ({ score, index })).filter(({ score }) => score > 0)
    order.sort((one, other) => other.score - one.score)
    for (const [position, { index }] of order.entries()) sums[index] = (sums[index] ?? 0) + 1 / (60 + position)
  }
  return sums
}

/** Scales scores so that the best is 1. */
function normalised(scores: readonly number[]): readonly number[] {
  const best = Math.max(0, ...scores)
  return best === 0 ? scores : scores.map((score) => score / best)
}

function cosine(one: Vector, other: Vector): number {
  let dot = 0
  let oneLength = 0
  let otherLength = 0
  for (let index = 0; index < one.length; index += 1) {
    const value = one[index] ?? 0
    const beside = other[index] ?? 0
    dot += value * beside
    oneLength += value * value
    otherLength += beside * beside
  }
  return oneLength === 0 || otherLength === 0 ? 0 : dot / Math.sqrt(oneLength * otherLength)
}

const searchTextOf = ({ name, description }: HostTool): string => `${name.split('__').at(-1) ?? name} ${description}`

/** Matches the name in the agent file or the name that the model uses. */
const isNamed = (name: string, own: string): boolean =>
  name === own || name === hostToolName(own) || name === searchToolName(own) || name.startsWith(`mcp__${own}__`)

function mostUsed(entries: readonly Entry[], count: number): readonly string[] {
  if (count === 0) return []
  const uses = new Map<string, number>()
  for (const entry of entries) {
    if (entry.type !== 'answer') continue
    for (const { toolName } of callsOf(entry.parts)) uses.set(toolName, (uses.get(toolName) ?? 0) + 1)
  }
  return [...uses]
    .sort(([, one], [, other]) => other - one)
    .slice(0, count)
    .map(([name]) => name)
}
