// The port between retrieval and where passages are kept: one store for each tool of an agent.
import type { Passage } from './chunking/passage.ts'

export interface StoredFile {
  readonly path: string
  readonly hash: string
  readonly size: number
  readonly mtimeMs: number
}

export interface NewPassage extends Passage {
  /** Hash of the text the vector was made from. */
  readonly madeFrom: string
  /** `null` where nothing is searched by meaning, and for a text without words. */
  readonly vector: Float32Array | null
}

export interface StoredPassage extends Passage {
  readonly id: number
  /** The file it is from, as people know it. */
  readonly path: string
}

/** `score` is higher for better and compares within one list only. */
export interface Ranked {
  readonly id: number
  readonly score: number
}

/** Of which nothing is found until it is finished. */
export interface FileWriting {
  /** One transaction; a few hundred hold nobody up. */
  add(passages: readonly NewPassage[]): Promise<void>
  finish(): Promise<void>
}

/** Whoever writes waits a while for others who do, without holding up the process. */
export interface PassageStore {
  /** What everything in it was made with; `null` for a new one. */
  fingerprint(): string | null
  /** Forgets everything: what comes now is made another way. */
  begin(fingerprint: string): Promise<void>
  /** Whether everything was in it once since it was begun: before that, a search would not find what is there. */
  isComplete(): boolean
  finish(): Promise<void>
  /** Length of its vectors; `null` while it has none. */
  dimensions(): number | null
  files(): readonly StoredFile[]
  countPassages(): number
  /** What is written now is found when it is finished, and the file's passages before until then. */
  writeFile(file: StoredFile): FileWriting
  /** Whether there are passages that nobody finds: of a file that was not finished, or whose removal was not. */
  hasLeftovers(): boolean
  removeLeftovers(): Promise<void>
  /** The same text with another time or size. */
  touchFile(file: StoredFile): Promise<void>
  removeFile(path: string): Promise<void>
  /** Vectors of a file's passages by what they were made from. */
  vectorsOf(path: string): ReadonlyMap<string, Float32Array>

  /** True when nobody else may write until `forMs` have passed or this one lets go; claiming again prolongs it. */
  claim(forMs: number): Promise<boolean>
  release(): Promise<void>

  /** By cosine similarity, best first, as are the others. Throws when the stored vectors have another length. */
  nearest(vector: Float32Array, limit: number): readonly Ranked[]
  /** By BM25 over text and headings; any of the words may match. */
  matchingWords(words: readonly string[], limit: number): readonly Ranked[]
  /** Passages with these words one after the other. */
  matchingPhrase(words: readonly string[], limit: number): readonly Ranked[]
  /** In the order of the ids; those that are gone meanwhile are left out. */
  load(ids: readonly number[]): readonly StoredPassage[]
  /** The first passage of a file whose own heading or clause has this number. */
  findClause(path: string, number: string): StoredPassage | null
  /** What the documents define, those of this file first. */
  definitions(path: string): readonly { readonly term: string; readonly meaning: string }[]
  close(): void
}
