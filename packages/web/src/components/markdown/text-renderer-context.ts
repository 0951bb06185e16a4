import { createContext, type ReactNode } from 'react'

/** How the words between the marks are drawn; `null` is as they are. */
export const TextRendererContext = createContext<((text: string) => ReactNode) | null>(null)
