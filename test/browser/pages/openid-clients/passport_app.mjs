/** An app on passport-openidconnect, by a nonce, as docs/guides/libraries.md says. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import express from 'express';
import session from 'express-session';
import passport from 'passport';
import OpenIDConnectStrategy from 'passport-openidconnect';

const app = express();
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;
console.log(url);
const [line] = await once(createInterface({ input: process.stdin }), 'line');
const { issuer, client_id: clientID, client_secret: clientSecret } = JSON.parse(line);

const settings = {
  issuer,
  authorizationURL: `${issuer}/oauth/authorize`,
  tokenURL: `${issuer}/oauth/token`,
  userInfoURL: `${issuer}/oauth/userinfo`,
  clientID,
  clientSecret,
  callbackURL: `${url}/callback`,
  scope: 'profile email',
  nonce: true,
  skipUserProfile: false,
};
const verify = (_issuer, profile, _context, idToken, done) => done(null, { email: profile.emails[0].value, idToken });
passport.use('tessera', new OpenIDConnectStrategy(settings, verify));
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));

const page = (title) => `<!doctype html><title>${title}</title><h1>${title}</h1>`;
app.use(session({ secret: 'a secret of the app that signs its own cookies', resave: false, saveUninitialized: false }));
app.use(passport.session());
app.get('/callback', passport.authenticate('tessera', { successRedirect: '/' }));
app.get('/bye', (_request, response) => response.send(page('Signed out')));
app.get('/leave', (request, response, next) => {
  const query = new URLSearchParams({ id_token_hint: request.user.idToken, post_logout_redirect_uri: `${url}/bye` });
  request.logout((error) => (error ? next(error) : response.redirect(`${issuer}/oauth/logout?${query}`)));
});
app.get('/', (request, response, next) =>
  request.user ? response.send(page(`Hello ${request.user.email}`)) : passport.authenticate('tessera')(request, response, next),
);
console.log('ready');
