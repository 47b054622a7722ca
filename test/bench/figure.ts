interface Sample {
  readonly name: string
  readonly ms: readonly number[]
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

const rounded = (ms: number): number => Math.round(ms * 10) / 10

/** Prints one figure beside its peer. Machines differ: the ratio of the medians is what can be compared. */
export function printFigure(figure: Sample, peer: Sample): void {
  const [p50, peerP50] = [percentile(figure.ms, 0.5), percentile(peer.ms, 0.5)]
  console.log(
    JSON.stringify({
      figure: figure.name,
      n: figure.ms.length,
      p50Ms: rounded(p50),
      p95Ms: rounded(percentile(figure.ms, 0.95)),
      peer: peer.name,
      peerP50Ms: rounded(peerP50),
      ratio: rounded(p50 / peerP50),
    }),
  )
}
