// The result of a search: as data, and as text for the model.
import { ellipsize } from '@quarterdeck/protocol'
import type { Definition, Passage } from '../chunking/passage.ts'
import type { PassageStore, Ranked, StoredPassage } from '../passage-store.ts'

export interface SearchResult extends Pick<Passage, 'text' | 'details'> {
  /** Definitions of terms in the text. */
  readonly definitions: readonly Definition[]
  /** The file, relative to the agent file's folder. */
  readonly source: string
  readonly location: Pick<Passage, 'headings' | 'line' | 'row'>
  /** From 0 to 1; its meaning depends on the search mode. */
  readonly score: number
  /** References of the text within the same document. */
  readonly references: readonly { readonly number: string; readonly text: string }[]
}

const mostDefinitions = 5
const mostReferences = 5
const longestReference = 200

export function toResults(store: PassageStore, ranked: readonly Ranked[]): SearchResult[] {
  const scores = new Map(ranked.map(({ id, score }) => [id, score]))
  return store.load(ranked.map(({ id }) => id)).map((passage) => {
    const { path, headings, line, row, text, details, id } = passage
    return {
      source: path,
      location: { headings, line, row },
      score: Math.round((scores.get(id) ?? 0) * 10_000) / 10_000,
      text,
      details,
      definitions: definitionsIn(store, passage),
      references: referencesOf(store, passage),
    }
  })
}

function definitionsIn(store: PassageStore, { path, text }: StoredPassage): Definition[] {
  const known = new Map<string, Definition>()
  for (const definition of store.definitions(path)) {
    const isDefinedHere = text.includes(definition.meaning.slice(0, 40))
    if (known.has(definition.term) || isDefinedHere || !holdsWord(text, definition.term)) continue
    known.set(definition.term, definition)
    if (known.size === mostDefinitions) break
  }
  return [...known.values()]
}

/** Case-sensitive: `Site` is a defined term, `site` is not. */
const holdsWord = (text: string, term: string): boolean =>
  new RegExp(`(?<!\\p{L})${term.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?:s|es)?(?!\\p{L})`, 'u').test(text)

function referencesOf(store: PassageStore, { path, references }: StoredPassage): SearchResult['references'] {
  return references.slice(0, mostReferences).flatMap((number) => {
    const passage = store.findClause(path, number)
    if (passage === null) return []
    return [{ number, text: ellipsize(passage.text.replaceAll(/\s+/g, ' '), longestReference) }]
  })
}

const locationText = ({ source, location }: SearchResult): string =>
  [source, ...location.headings, ...(location.row === null ? [] : [location.row])].join(' › ') +
  (location.line === null ? '' : ` (line ${location.line})`)

export function formatResults(toolName: string, query: string, results: readonly SearchResult[]): string {
  if (results.length === 0) return `Nothing in ${toolName} fits "${query}".`
  return results.map((result, index) => formatResult(result, index + 1)).join('\n\n')
}

function formatResult(result: SearchResult, rank: number): string {
  const { score, text, details, definitions, references } = result
  return [
    `[${rank}] ${locationText(result)}, score ${score.toFixed(2)}`,
    text,
    ...Object.entries(details).map(([name, value]) => `${name}: ${value}`),
    ...definitions.map(({ term, meaning }) => `Defined: "${term}" means ${meaning}`),
    ...references.map((reference) => `Refers to ${reference.number}: ${reference.text}`),
  ].join('\n')
}
