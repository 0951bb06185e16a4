import { useEffect, useState } from 'react'

interface TextFilterProps {
  readonly text: string
  readonly onChange: (text: string) => void
}

const restMs = 300

/** Looks when the person has stopped writing: not once for every letter. */
export function TextFilter({ text, onChange }: TextFilterProps) {
  const [draft, setDraft] = useState(text)
  const [known, setKnown] = useState(text)
  // Cleared, or changed by going back: the address knows better than the box.
  if (text !== known) {
    setKnown(text)
    if (text !== draft.trim()) setDraft(text)
  }
  useEffect(() => {
    const wanted = draft.trim()
    if (wanted === text) return
    const timer = setTimeout(() => onChange(wanted), restMs)
    return () => clearTimeout(timer)
  }, [draft, text, onChange])
  return (
    <input
      className="field search"
      type="search"
      aria-label="Title"
      placeholder="Part of the title"
      maxLength={200}
      value={draft}
      onChange={(event) => setDraft(event.target.value)}
    />
  )
}
