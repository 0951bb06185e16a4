import { useEffect, useState } from 'react'
import { StateGlyph } from './state-glyph.tsx'

/** Shows nothing for 200 ms: most requests finish sooner, and a short flash would distract. */
export function Loading({ what }: { readonly what: string }) {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 200)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="row loading" role="status">
      {isLate && (
        <>
          <StateGlyph state="running" />
          {what}
        </>
      )}
    </div>
  )
}
