import { useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'

/** More of anything at once would make a page that nobody reads slow. */
const shownAtFirst = 100

export interface FirstOnes<Item> {
  readonly shown: readonly Item[]
  /** `null` where all are shown. */
  readonly onAll: (() => void) | null
}

/** The first of many, until somebody wants all. */
export function useFirstOnes<Item>(items: readonly Item[]): FirstOnes<Item> {
  const [isAll, setAll] = useState(false)
  if (isAll || items.length <= shownAtFirst) return { shown: items, onAll: null }
  return { shown: items.slice(0, shownAtFirst), onAll: () => setAll(true) }
}

interface ShowAllProps {
  readonly onAll: (() => void) | null
  /** `1,000 columns` */
  readonly words: string
}

export function ShowAll({ onAll, words }: ShowAllProps) {
  if (onAll === null) return null
  return (
    <Button variant={['s']} onClick={onAll}>
      Show all {words}
    </Button>
  )
}
