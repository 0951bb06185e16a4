import type { AgentSummary } from '@quarterdeck/protocol'

/** The one made for questions about data. It has no tables of its own: it is asked on the pages of Data. */
export const isDataAgent = ({ name }: Pick<AgentSummary, 'name'>): boolean => name === 'analysis'
