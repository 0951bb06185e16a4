import type { AgentSummary } from '@quarterdeck/protocol'

/** The agent for questions about data. It is used from the Data pages, which have the tables. */
export const isDataAgent = ({ name }: Pick<AgentSummary, 'name'>): boolean => name === 'analysis'
