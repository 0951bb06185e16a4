import { createContext, type ReactNode } from 'react'

/** Renders plain text within Markdown. `null` shows it unchanged. */
export const TextRendererContext = createContext<((text: string) => ReactNode) | null>(null)
