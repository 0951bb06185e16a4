import type { Drawing } from '../../charts/drawing-of.ts'
import { usePicture } from './use-picture.ts'

/** The chart itself. What it shows is said in words, and the table twin has every number. */
export function ChartPicture({ drawing, summary }: { readonly drawing: Drawing; readonly summary: string }) {
  const { box, status } = usePicture(drawing)
  return (
    <>
      <div className="chart-picture" ref={box} role="img" aria-label={summary} data-status={status} />
      {status === 'failed' && <p className="chart-note">The chart could not be drawn. Its numbers are in the table.</p>}
    </>
  )
}
