import { useState } from 'react'

/** A text to change that follows the kept one, until a person has changed it. */
export function useFollowedDraft(stored: string): readonly [string, (draft: string) => void] {
  const [draft, setDraft] = useState(stored)
  const [followed, setFollowed] = useState(stored)
  if (stored !== followed) {
    setFollowed(stored)
    if (draft === followed) setDraft(stored)
  }
  return [draft, setDraft]
}
