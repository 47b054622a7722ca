/**
 * The result of a scan or an act of the operator. Each outcome has a shape, and each except `none` a sound. `none`: not
 * decided yet.
 */
export type Outcome = 'done' | 'look' | 'stop' | 'decide' | 'none'
