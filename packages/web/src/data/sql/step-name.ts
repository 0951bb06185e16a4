/** Rows of steps are views called `step_1`, `step_2` …: no table may be. */
export const isStepName = (name: string): boolean => /^step_\d+$/i.test(name)
