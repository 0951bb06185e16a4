import type { Palette } from '../palette.ts'

export interface RenderContext {
  readonly palette: Palette
  /** Columns. */
  readonly width: number
}
