import { useState } from 'react'

/** A text to change that follows the kept one, until a person has changed it. */
export function useFollowedDraft(kept: string): readonly [string, (draft: string) => void] {
  const [draft, setDraft] = useState(kept)
  const [followed, setFollowed] = useState(kept)
  if (kept !== followed) {
    setFollowed(kept)
    if (draft === followed) setDraft(kept)
  }
  return [draft, setDraft]
}
