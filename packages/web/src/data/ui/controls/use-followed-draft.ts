import { useState } from 'react'

/** An editable text that follows the stored one until the user changes it. */
export function useFollowedDraft(stored: string): readonly [string, (draft: string) => void] {
  const [draft, setDraft] = useState(stored)
  const [followed, setFollowed] = useState(stored)
  if (stored !== followed) {
    setFollowed(stored)
    if (draft === followed) setDraft(stored)
  }
  return [draft, setDraft]
}
