import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';

let client: LanguageClient | undefined;

/** start runs the server for the folder that is open. */
async function start(): Promise<void> {
  const settings = vscode.workspace.getConfiguration('whyhot');
  const folder = vscode.workspace.workspaceFolders?.[0];
  client = new LanguageClient(
    'whyhot',
    'whyhot',
    {
      command: settings.get('path', 'whyhot'),
      args: ['lsp', ...settings.get<string[]>('args', [])],
      options: { cwd: folder?.uri.fsPath },
    },
    {
      documentSelector: [{ scheme: 'file' }],
      initializationOptions: { off: !settings.get('enable', true), lens: settings.get('lens', false) },
    },
  );
  await client.start();
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.stop();
}

/** attempt shows why the server does not run, and where to say where it is. */
async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    client = undefined;
    const settings = 'Open settings';
    const text = error instanceof Error ? error.message : String(error);
    if ((await vscode.window.showErrorMessage(`whyhot: ${text}`, settings)) === settings) {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'whyhot.path');
    }
  }
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand('whyhot.restart', () =>
      attempt(async () => {
        await stop();
        await start();
      }),
    ),
    vscode.commands.registerCommand('whyhot.show', () =>
      attempt(async () => {
        if (!client) {
          await start();
          return;
        }
        const on: unknown = await client.sendRequest('workspace/executeCommand', { command: 'whyhot.toggle' });
        vscode.window.setStatusBarMessage(on === true ? 'whyhot is on' : 'whyhot is off', 3000);
      }),
    ),
  );
  await attempt(start);
}

export async function deactivate(): Promise<void> {
  await stop();
}
