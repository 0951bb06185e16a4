import type { SourceFile } from '../import-plan.ts'

export interface Sample {
  readonly title: string
  readonly sentence: string
  readonly files: readonly SourceFile[]
  readonly questions: readonly string[]
}

/** Tables made up for trying. */
export const samples: readonly Sample[] = []
