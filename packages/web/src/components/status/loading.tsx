import { useEffect, useState } from 'react'
import { StateGlyph } from './state-glyph.tsx'

/** Says nothing for 200 ms: most answers are there by then, and a flash would only unsettle. */
export function Loading({ what }: { readonly what: string }) {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 200)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="loading" role="status">
      {isLate && (
        <>
          <StateGlyph state="running" />
          {what}
        </>
      )}
    </div>
  )
}
