/** The state is rewritten with every append: what only looks back is bounded, the log has it all. */
export const historyLimit = 200
