/** The result of a scan or an action. Each one has a shape and a sound. `none`: not decided yet. */
export type Outcome = 'done' | 'look' | 'stop' | 'decide' | 'none'
