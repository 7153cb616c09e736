import { defineCommand, exitCodes } from '../command.ts'
import { commands } from '../commands.ts'
import { completionScript, type Shell, shells } from '../completion.ts'

export const command = defineCommand({
  name: 'completion',
  summary: 'Print a completion script for bash, zsh or fish',
  args: [{ name: 'SHELL', summary: 'The shell to complete in', takes: 'one', choices: shells }],
  options: {},
  examples: [
    { command: 'source <(berth completion bash)', summary: 'In this bash only' },
    { command: 'berth completion zsh > $fpath[1]/_berth', summary: 'In every new zsh' },
    { command: 'berth completion fish > ~/.config/fish/completions/berth.fish', summary: 'In every new fish' },
  ],
  run: async ({ args, stdout }) => {
    const loaded = await Promise.all(commands.map(async (entry) => (await entry.load()).command))
    stdout.write(completionScript(args[0] as Shell, loaded))
    return exitCodes.done
  },
})
