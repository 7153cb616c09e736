/** The look of a forecast's page, light or dark as the reader's system is. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --back: light-dark(#ffffff, #16181d); --fore: light-dark(#1c2126, #e4e7eb); --soft: light-dark(#5d6873, #9aa5b1);
  --line: light-dark(#d8dde3, #333a43); --panel: light-dark(#f5f7f9, #1e2229); --accent: light-dark(#0b62c4, #6cb0ff);
  --running: light-dark(#2e8b57, #4cbb7f); --pending: light-dark(#b8860b, #e0b040); --notready: light-dark(#c2531d, #f0894d);
  --terminating: light-dark(#b3261e, #f2776f); --still: light-dark(#9fb3c8, #55677a); --node: light-dark(#eef1f4, #252b33);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--fore); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1200px; margin: 0 auto; padding: 1rem 1.25rem 4rem; }
h1 { font-size: 1.35rem; margin: 0 0 .25rem; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
p { margin: .25rem 0; } .soft { color: var(--soft); }
.answer { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: .75rem 1rem; margin: .75rem 0; }
.answer p:first-child { font-weight: 600; }
.bad { color: var(--terminating); } .warn { color: var(--pending); }
.clock { position: sticky; top: 0; z-index: 2; background: var(--back); border-bottom: 1px solid var(--line); padding: .5rem 0;
  display: grid; grid-template-columns: auto auto 1fr; gap: .75rem; align-items: center; }
.clock output { min-width: 6.5em; font-variant-numeric: tabular-nums; font-weight: 600; text-align: right; }
input[type=range] { width: 100%; } button, input, select { font: inherit; color: inherit; background: var(--panel);
  border: 1px solid var(--line); border-radius: 6px; padding: .25rem .6rem; }
button { cursor: pointer; min-width: 5em; } button:focus-visible, input:focus-visible, tr:focus-visible { outline: 2px solid var(--accent); }
.legend span { display: inline-flex; align-items: center; gap: .35em; margin-right: 1em; }
.legend i { width: .8em; height: .8em; border-radius: 2px; display: inline-block; }
.zones { display: grid; gap: .75rem; } .zone h3 { font-size: .9rem; margin: 0 0 .25rem; }
.nodes { display: grid; grid-template-columns: repeat(auto-fill, minmax(128px, 1fr)); gap: .4rem; }
.nodes.many { grid-template-columns: repeat(auto-fill, minmax(14px, 1fr)); gap: 2px; }
.node { background: var(--node); border: 1px solid var(--line); border-radius: 6px; padding: .3rem .4rem; min-height: 3.4em; overflow: hidden; }
.node.off { border-color: var(--terminating); } .node.cordoned { border-style: dashed; } .node.absent { opacity: .25; }
.node b { font-size: .8rem; font-weight: 600; display: block; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.node small { color: var(--soft); font-size: .7rem; display: block; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.many .node { min-height: 14px; padding: 0; border-radius: 3px; } .many .node b, .many .node small, .many .pods { display: none; }
.pods { display: flex; flex-wrap: wrap; gap: 2px; margin-top: 2px; } .pods i { width: 8px; height: 8px; border-radius: 2px; background: var(--still); }
.pods i.running, .legend .running { background: var(--running); } .pods i.pending, .legend .pending { background: var(--pending); }
.pods i.starting, .legend .starting { background: var(--pending); } .pods i.notReady, .legend .notReady { background: var(--notready); }
.pods i.terminating, .legend .terminating { background: var(--terminating); } .legend .still { background: var(--still); }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(320px, 1fr)); gap: 1rem; }
figure { margin: 0; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: .5rem .75rem; }
figcaption { font-size: .85rem; color: var(--soft); } svg { width: 100%; height: 120px; display: block; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; } .scroll { overflow-x: auto; max-height: 28rem; border: 1px solid var(--line); border-radius: 8px; }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid var(--line); white-space: nowrap; vertical-align: top; }
th { position: sticky; top: 0; background: var(--panel); font-weight: 600; } td.num, th.num { text-align: right; font-variant-numeric: tabular-nums; }
td.wrap { white-space: normal; min-width: 22em; } tr.now td { background: color-mix(in srgb, var(--accent) 14%, transparent); } tbody tr { cursor: default; } tr.pick { cursor: pointer; }
.filters { display: flex; flex-wrap: wrap; gap: .5rem; margin: .5rem 0; } .filters input { flex: 1 1 14em; }
.blocks { display: flex; flex-wrap: wrap; gap: 3px; } .blocks span { font-size: .75rem; background: var(--node); border: 1px solid var(--line); border-radius: 4px; padding: 0 .4em; }
dialog { border: 1px solid var(--line); border-radius: 10px; background: var(--back); color: var(--fore); max-width: 46rem; padding: 1rem 1.25rem; }
dialog::backdrop { background: rgb(0 0 0 / .45); }
`
