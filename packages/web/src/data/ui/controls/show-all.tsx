import { useState } from 'react'
import { SmallButton } from './small-button.tsx'

/** Rendering more at once would make the page slow. */
const shownAtFirst = 100

export interface FirstOnes<Item> {
  readonly shown: readonly Item[]
  /** `null` if all are shown. */
  readonly onAll: (() => void) | null
}

/** Shows the first items until the user asks for all. */
export function useFirstOnes<Item>(items: readonly Item[]): FirstOnes<Item> {
  const [isAll, setAll] = useState(false)
  if (isAll || items.length <= shownAtFirst) return { shown: items, onAll: null }
  return { shown: items.slice(0, shownAtFirst), onAll: () => setAll(true) }
}

interface ShowAllProps {
  readonly onAll: (() => void) | null
  /** `1,000 columns` */
  readonly label: string
}

export function ShowAll({ onAll, label }: ShowAllProps) {
  if (onAll === null) return null
  return <SmallButton onClick={onAll}>Show all {label}</SmallButton>
}
