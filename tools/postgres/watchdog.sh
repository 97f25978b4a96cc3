# Runs Postgres until it ends or until file descriptor 3, a pipe from the launcher, closes: then a fast shutdown. So neither a stop
# nor the launcher's death leaves a server behind. One that is not down after half a minute, because a process of it hangs, ends without
# ceremony and recovers at its next start. Arguments: folders to remove afterwards ('' for none), then the command.
sockets=$1 ephemeral=$2
shift 2
trap '' INT TERM HUP
"$@" 3<&- &
server=$!
{
  read -r _ <&3
  kill -INT "$server"
  waited=0
  while [ "$waited" -lt 30 ]; do sleep 1; waited=$((waited + 1)); done
  kill -QUIT "$server"
} 2>/dev/null &
reader=$!
exec 3<&-
wait "$server"
code=$?
kill -KILL "$reader" 2>/dev/null
rm -rf "$sockets" ${ephemeral:+"$ephemeral"}
exit "$code"
