import { createContext, type ReactNode } from 'react'

/** How the words between the marks are drawn; `null` is as they are. */
export const WordsContext = createContext<((words: string) => ReactNode) | null>(null)
