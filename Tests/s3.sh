#!/usr/bin/env bash
# Reads images from an S3 server that verifies signatures, moto, in about 20 seconds: keys with spaces, profiles, and a
# wrong secret, which the server refuses.
#
# Needs python3 with venv and pip, and access to PyPI; otherwise it skips with the reason. VIEWPORT is the path of the
# program, by default the release build.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() { printf '\n!!! SKIPPED: S3 was not tested: %s\n\n' "$1" >&2; exit 0; }

viewport=$(realpath "${VIEWPORT:-.build/release/viewport}")
[ -x "$viewport" ] || skip "there is no $viewport; build it first"
folder=.build/s3
rm -rf "$folder/work"
mkdir -p "$folder/work/home/.aws"
servers=${SERVERS:-.build/servers}
.ci/servers "$servers" || skip "its server cannot be installed"
python=$servers/bin/python

# Each bucket, key and policy below is one action before the server begins to verify signatures.
INITIAL_NO_AUTH_ACTION_COUNT=6 "$servers/bin/moto_server" -H 127.0.0.1 -p 0 >"$folder/work/log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null || true' EXIT
port=
for _ in $(seq 300); do
    port=$(sed -n 's|.*http://127.0.0.1:\([0-9]*\).*|\1|p' "$folder/work/log" | head -n 1)
    [ -z "$port" ] || break
    sleep 0.1
done
[ -n "$port" ] || { cat "$folder/work/log" >&2; exit 1; }

export AWS_ENDPOINT_URL=http://127.0.0.1:$port AWS_REGION=eu-central-1
"$python" - samples/lake.jpg "$folder/work/key" <<'END'
import boto3, json, os, sys
options = dict(endpoint_url=os.environ["AWS_ENDPOINT_URL"], region_name=os.environ["AWS_REGION"],
               aws_access_key_id="any", aws_secret_access_key="any")
iam, s3 = boto3.client("iam", **options), boto3.client("s3", **options)
iam.create_user(UserName="reader")
key = iam.create_access_key(UserName="reader")["AccessKey"]
allowed = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
iam.put_user_policy(UserName="reader", PolicyName="reads", PolicyDocument=json.dumps(allowed))
s3.create_bucket(Bucket="pictures", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
for name in ("lake.jpg", "a folder/the lake.jpg"):
    s3.put_object(Bucket="pictures", Key=name, Body=open(sys.argv[1], "rb").read())
with open(sys.argv[2], "w") as file:
    file.write(f"{key['AccessKeyId']}\n{key['SecretAccessKey']}\n")
END
id=$(sed -n 1p "$folder/work/key") secret=$(sed -n 2p "$folder/work/key")
cd "$folder/work"
export XDG_CACHE_HOME=$PWD/cache HOME=$PWD/home
part=(--rect 100,100,300,200)
"$viewport" render ../../../samples/lake.jpg "${part[@]}" -o local.png

for name in lake.jpg "a folder/the lake.jpg"; do
    AWS_ACCESS_KEY_ID=$id AWS_SECRET_ACCESS_KEY=$secret \
        "$viewport" render "s3://pictures/$name" "${part[@]}" -o remote.png --overwrite
    cmp local.png remote.png
done
printf '[default]\naws_access_key_id = wrong\n[lakes]\naws_access_key_id = %s\naws_secret_access_key = %s\n' \
    "$id" "$secret" >home/.aws/credentials
AWS_PROFILE=lakes "$viewport" info s3://pictures/lake.jpg --json >/dev/null

code=0
AWS_ACCESS_KEY_ID=$id AWS_SECRET_ACCESS_KEY=wrong "$viewport" info s3://pictures/lake.jpg 2>error || code=$?
[ "$code" = 66 ]
grep -q '403 Forbidden' error
! grep -qF "$id" error
echo "S3: signatures of keys, folders and profiles are right"
