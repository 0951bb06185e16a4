import { useEffect, useState } from 'react'

interface TextFilterProps {
  readonly text: string
  readonly onChange: (text: string) => void
}

const debounceMs = 300

/** Filters when the user stops typing, not for every letter. */
export function TextFilter({ text, onChange }: TextFilterProps) {
  const [draft, setDraft] = useState(text)
  const [known, setKnown] = useState(text)
  // The text was cleared or changed by navigation: the address wins over the box.
  if (text !== known) {
    setKnown(text)
    if (text !== draft.trim()) setDraft(text)
  }
  useEffect(() => {
    const wanted = draft.trim()
    if (wanted === text) return
    const timer = setTimeout(() => onChange(wanted), debounceMs)
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
