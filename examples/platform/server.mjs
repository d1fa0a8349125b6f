import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const { CARDLEDGER = 'http://127.0.0.1:4000', PORT = '5173' } = process.env;
const { CREDENTIALS = '../../data/demo-client.json' } = process.env;
const { clientId, clientSecret } = JSON.parse(await readFile(CREDENTIALS, 'utf8'));
const page = (await readFile(new URL('index.html', import.meta.url), 'utf8')).replace(
  '{service}',
  CARDLEDGER,
);

async function post(path, body, headers) {
  const answer = await fetch(CARDLEDGER + path, { method: 'POST', body, headers });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return answer.json();
}

/** The token that acts for all users, kept until it ends. It stays here, as the client's secret does. */
let platform = { endsAt: 0 };
async function platformToken() {
  if (Date.now() > platform.endsAt) {
    const form = { grant_type: 'client_credentials', scope: 'platform' };
    const body = new URLSearchParams({ ...form, client_id: clientId, client_secret: clientSecret });
    const { access_token: token, expires_in: seconds } = await post('/oauth2/token', body);
    platform = { token, endsAt: Date.now() + (seconds - 60) * 1000 };
  }
  return platform.token;
}

/** What the user's browser may hold: for 15 minutes, to read with. */
async function browserToken(user) {
  const headers = { Authorization: `Bearer ${await platformToken()}`, 'Content-Type': 'application/json' };
  const { accountId } = await post('/account', JSON.stringify(user), headers);
  return post(`/account/${accountId}/token`, JSON.stringify({ scope: 'read', expiresIn: 900 }), headers);
}

createServer(async ({ url, method }, response) => {
  if (url === '/') return response.setHeader('Content-Type', 'text/html').end(page);
  if (url !== '/token' || method !== 'POST') return response.writeHead(404).end();
  try {
    // Your own sign-in says who this is; here everybody is Ada.
    response.end(JSON.stringify(await browserToken({ externalId: 'ada', name: 'Ada' })));
  } catch (error) {
    console.error(error.message);
    response.writeHead(502).end();
  }
}).listen(Number(PORT), () => console.log(`http://localhost:${PORT}`));
