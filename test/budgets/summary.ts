import type { RunSummary } from './runner.ts'

/** A table for docs/reliability.md. */
export function markdownOf({
  seed,
  budget,
  attacks,
  sources,
  findings,
  baselineBytes,
  finalBytes,
}: RunSummary): string {
  const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(0)
  const rows = sources.map(({ source, attacks: count, codes, worstCpuMs, worstProbeMs }) => {
    const answers = Object.entries(codes).map(([code, times]) => `${code}: ${times}`)
    return `| ${source} | ${count} | ${worstCpuMs.toFixed(0)} | ${worstProbeMs.toFixed(0)} | ${answers.join(', ')} |`
  })
  return [
    `${attacks} attacks, seed ${seed}; budget: ${budget.attackMs} ms of CPU per attack, ${budget.probeMs} ms for a probe, ${budget.perMebibyteMs} ms (YAML: ${budget.perYamlMebibyteMs} ms) more per MiB of the body.`,
    `Memory in use after garbage collection: ${mebibytes(baselineBytes)} MiB before, ${mebibytes(finalBytes)} MiB after.`,
    `Findings: ${findings.length}.`,
    '',
    '| source | attacks | worst CPU, ms | worst wait of the probe, ms of CPU | answers |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
