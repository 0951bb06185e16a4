// The port between retrieval and the passage database: one store for each tool of an agent.
import type { Passage } from './chunking/passage.ts'

export interface StoredFile {
  readonly path: string
  readonly hash: string
  readonly size: number
  readonly mtimeMs: number
}

export interface NewPassage extends Passage {
  /** Hash of the text that was embedded. */
  readonly madeFrom: string
  /** `null` without semantic search, and for a text without words. */
  readonly vector: Float32Array | null
}

export interface StoredPassage extends Passage {
  readonly id: number
  /** The file's path as shown to users. */
  readonly path: string
}

/** A higher `score` is better. Scores are comparable only within one list. */
export interface Ranked {
  readonly id: number
  readonly score: number
}

/** A file in progress: its passages are not found until it is finished. */
export interface FileWriting {
  /** One transaction. A few hundred passages do not block others noticeably. */
  add(passages: readonly NewPassage[]): Promise<void>
  finish(): Promise<void>
}

/** Writers wait for each other for a while without blocking the process. */
export interface PassageStore {
  /** A fingerprint of the settings that everything in the store was made with; `null` for a new one. */
  fingerprint(): string | null
  /** Deletes everything, because the settings have changed. */
  begin(fingerprint: string): Promise<void>
  /** Whether the store was complete once since it was begun. Before that, a search could miss passages. */
  isComplete(): boolean
  finish(): Promise<void>
  /** Length of its vectors; `null` while it has none. */
  dimensions(): number | null
  files(): readonly StoredFile[]
  countPassages(): number
  /** Starts a new version of a file. Until it is finished, the file's old passages are found. */
  writeFile(file: StoredFile): FileWriting
  /** Whether there are passages that are never found: of a file that was not finished, or not removed completely. */
  hasLeftovers(): boolean
  removeLeftovers(): Promise<void>
  /** Records a new time or size of an unchanged text. */
  touchFile(file: StoredFile): Promise<void>
  removeFile(path: string): Promise<void>
  /** Vectors of a file's passages by the hash of their text. */
  vectorsOf(path: string): ReadonlyMap<string, Float32Array>

  /** True if this store may write exclusively for `forMs` or until it releases the claim. Claiming again extends it. */
  claim(forMs: number): Promise<boolean>
  release(): Promise<void>

  /** By cosine similarity, best first like the others. Throws if the stored vectors have another length. */
  nearest(vector: Float32Array, limit: number): readonly Ranked[]
  /** By BM25 over text and headings; any of the words may match. */
  matchingWords(words: readonly string[], limit: number): readonly Ranked[]
  /** Passages that contain these words as a phrase. */
  matchingPhrase(words: readonly string[], limit: number): readonly Ranked[]
  /** In the order of the ids; deleted passages are left out. */
  load(ids: readonly number[]): readonly StoredPassage[]
  /** The first passage of a file whose own heading or clause has this number. */
  findClause(path: string, number: string): StoredPassage | null
  /** The definitions of the documents, those of this file first. */
  definitions(path: string): readonly { readonly term: string; readonly meaning: string }[]
  close(): void
}
