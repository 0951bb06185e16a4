// Where analyses are kept, as those who run them know it.
import type { Analysis } from '../../domain/analysis.ts'

export interface AnalysisStorage {
  load(id: string): Promise<Analysis | null>
  save(analysis: Analysis): Promise<void>
  /** The rows of a step, as an Arrow IPC stream; `null` where they are not kept. */
  loadStep(id: string, n: number): Promise<Uint8Array | null>
  /** Too many of them are not kept: then the step has none here. */
  saveStep(id: string, n: number, ipc: Uint8Array | null): Promise<void>
  /** Another tab has saved it, or removed it. Returns how to stop listening. */
  watch(id: string, listener: () => void): () => void
}
