import { visibleText } from '@quarterdeck/protocol'

/** What a session is called wherever it is named. A title may hold anything: what hides or turns letters is shown. */
export const sessionName = ({ title, agentName }: { readonly title: string; readonly agentName: string }): string =>
  visibleText(title || agentName)
