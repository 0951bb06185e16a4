import { visibleText } from '@quarterdeck/protocol'

/**
 * The name of a session in lists and titles. A title may contain anything, so hidden and direction characters are made
 * visible.
 */
export const sessionName = ({ title, agentName }: { readonly title: string; readonly agentName: string }): string =>
  visibleText(title || agentName)
